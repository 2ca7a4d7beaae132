tool-greet = Grüßt jemanden.
tool-greet-param-name = wen
tool-word-count = Zählt Zeilen, Wörter und Zeichen.
tool-word-count-param-path = die Datei
