tool-greet = Grüßt jemanden.
