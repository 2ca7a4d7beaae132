tool-greet = 问候某人。
tool-greet-param-name = 问候谁
