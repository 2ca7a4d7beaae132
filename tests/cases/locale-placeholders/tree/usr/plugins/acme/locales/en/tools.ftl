-brand = ACME
tool-greet = { -brand } greets somebody.
tool-greet-param-name = whom to greet
