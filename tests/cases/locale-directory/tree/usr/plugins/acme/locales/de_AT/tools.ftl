tool-greet = Grüßt jemanden.
tool-greet-param-name = wen
