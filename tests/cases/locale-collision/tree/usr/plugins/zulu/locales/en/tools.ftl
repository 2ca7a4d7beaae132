tool-greet = Says hello.
