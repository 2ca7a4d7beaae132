tool-file-read = 读取工作区中的文件，以带行号的文本给出全部或部分内容，或以 base64 给出。
tool-file-read-param-encoding = utf8（默认）；非文本文件使用 base64，此时忽略 offset 和 limit
tool-file-read-param-limit = 读取的行数；默认读取全部
tool-file-read-param-offset = 起始行，从 1 开始计数；默认为 1
tool-file-read-param-path = 文件路径，相对于工作区，文件最大 10 MiB

tool-word-count = 统计文本文件的行数、单词数、字符数和字节数。
tool-word-count-param-path = 文件路径，相对于工作区
