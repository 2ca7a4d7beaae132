tool-greet = from the plugin
tool-greet-param-name = whom, says the plugin
