tool-greet = Grüßt jemanden.
# untranslated
tool-greet-param-name = whom to greet
