tool-code-execution-tool = 在保持状态的 shell 会话中运行代码：bash、Python 或 Node.js。
tool-code-execution-tool-param-code = 用于 terminal、python 和 nodejs：要运行的代码
tool-code-execution-tool-param-runtime = terminal（bash）、python、nodejs；output 等待正在运行的代码的输出；reset 结束会话
tool-code-execution-tool-param-session = 使用哪个会话，默认 0；每个会话保持自己的状态

tool-input = 向会话中正在运行并等待输入的程序键入一行文字。
tool-input-param-keyboard = 要键入的内容；行尾会自动加上
tool-input-param-session = 程序等待输入的会话，默认 0

tool-shell = 在工作区中运行一条命令并给出其输出，也可在后台运行。
tool-shell-param-action = run（默认，运行）；对后台命令：jobs 列出全部，output 给出新的输出，stop 结束一个
tool-shell-param-background = 设为 true 则立即返回，并给出用于 output 和 stop 的编号
tool-shell-param-command = 用于 run：要运行的命令，bash 语法
tool-shell-param-cwd = 运行命令的目录，默认为工作区
tool-shell-param-job = 用于 output 和 stop：编号
tool-shell-param-timeout = 多少秒后结束命令，默认 60；用于 output 时是等待新输出的秒数，默认 0
