### English texts are those of the modules and fragments, word for word.

tool-code-execution-tool = Runs code in a shell session that keeps its state: bash, Python or Node.js.
tool-code-execution-tool-param-code = for terminal, python and nodejs: what to run
tool-code-execution-tool-param-runtime = terminal (bash), python, nodejs; output waits for what running code writes; reset ends the session
tool-code-execution-tool-param-session = which session, default 0; each keeps its state

tool-input = Types a line to a program that runs in a session and asks for it.
tool-input-param-keyboard = what to type; the end of the line is added
tool-input-param-session = the session in which a program asks, default 0

tool-shell = Runs a command in the workspace and gives its output, also in the background.
tool-shell-param-action = run (default); of commands in the background: jobs lists them, output gives what is new, stop ends one
tool-shell-param-background = true goes on at once, and gives an id for output and stop
tool-shell-param-command = for run: the command, in the syntax of bash
tool-shell-param-cwd = the directory to run in, default the workspace
tool-shell-param-job = for output and stop: the id
tool-shell-param-timeout = seconds until it is ended, default 60; with output how long to wait for something new, default 0
