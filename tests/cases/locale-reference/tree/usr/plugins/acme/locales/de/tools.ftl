tool-greet = { -marke } grüßt jemanden.
tool-greet-param-name = { $wen }
