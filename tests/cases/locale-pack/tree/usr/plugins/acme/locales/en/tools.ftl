tool-greet = Greets somebody.
tool-greet-param-name = whom to greet
