tool-greet = one
