tool-word-count = the root lies below the plugins
tool-greet = lowest
