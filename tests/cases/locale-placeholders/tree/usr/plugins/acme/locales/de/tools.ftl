-brand = ACME
tool-greet = ACME grüßt jemanden.
tool-greet-param-name = wen
