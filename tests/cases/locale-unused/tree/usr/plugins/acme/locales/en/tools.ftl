tool-greet = Greets somebody.
tool-greet-param-name = whom to greet
tool-greet-param-nane = whom
tool-bow = Bows.
tool-word-count = Counts.
    .long = Counts all there is.
