tool-file-edit = 精确替换工作区文件中的一处或多处文本。
tool-file-edit-param-dry-run = 为 true 时只显示改动，不写入
tool-file-edit-param-edits = 用多处替换代替 old_string 和 new_string；要么全部完成，要么都不做，每处都以文件当前内容为准
tool-file-edit-param-edits-new-string = 同 new_string
tool-file-edit-param-edits-old-string = 同 old_string
tool-file-edit-param-new-string = 替换后的文本；留空表示删除
tool-file-edit-param-old-string = 要替换的文本，须与文件中的内容完全一致，且只出现一次
tool-file-edit-param-path = 文件路径，相对于工作区，UTF-8 文本，最大 10 MiB

tool-file-read = 读取工作区中的文件，以带行号的文本给出全部或部分内容，或以 base64 给出。
tool-file-read-param-encoding = utf8（默认）；非文本文件使用 base64，此时忽略 offset 和 limit
tool-file-read-param-limit = 读取的行数；默认读取全部
tool-file-read-param-offset = 起始行，从 1 开始计数；默认为 1
tool-file-read-param-path = 文件路径，相对于工作区，文件最大 10 MiB

tool-file-write = 在工作区中新建文件，或替换其全部内容。
tool-file-write-param-content = 完整的新内容，最大 10 MiB
tool-file-write-param-encoding = utf8（默认）；非文本内容使用 base64
tool-file-write-param-path = 文件路径，相对于工作区；缺少的目录会自动创建

tool-text-editor = 按行号读取、写入和修改工作区中的文本文件。
tool-text-editor-param-action = read（默认）显示带行号的内容，write 替换整个文件，patch 按行号修改
tool-text-editor-param-content = 用于 write：完整的新内容
tool-text-editor-param-edits = 用于 patch：行号以读取时的文件为准；要么全部完成，要么都不做
tool-text-editor-param-edits-content = 新的行；不给出则删除这些行
tool-text-editor-param-edits-from = 要替换的第一行，或在其前面插入的那一行
tool-text-editor-param-edits-to = 要替换的最后一行；不给出则插入 content
tool-text-editor-param-line-from = 用于 read：起始行，默认为 1
tool-text-editor-param-line-to = 用于 read：末行，默认到文件末尾
tool-text-editor-param-path = 文件路径，相对于工作区

tool-word-count = 统计文本文件的行数、单词数、字符数和字节数。
tool-word-count-param-path = 文件路径，相对于工作区
