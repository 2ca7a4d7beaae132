tool-content-search = 用正则表达式搜索文件中的文本。
tool-content-search-param-case-sensitive = 是否区分大小写；默认为 true
tool-content-search-param-context-after = 每处匹配之后显示的行数
tool-content-search-param-context-before = 每处匹配之前显示的行数
tool-content-search-param-include = 限定文件的 glob 模式，例如 "*.ts"
tool-content-search-param-include-hidden = 也搜索以点开头的名称
tool-content-search-param-include-ignored = 也搜索被 .gitignore 排除的文件
tool-content-search-param-max-results = 最多 1000；默认为 200
tool-content-search-param-multiline = 匹配可以跨行
tool-content-search-param-output-mode = content（默认）：行；files_with_matches：路径；count：各文件匹配的行数
tool-content-search-param-path = 文件或目录；默认为工作区
tool-content-search-param-pattern = ripgrep 语法的正则表达式，不支持环视

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

tool-glob-search = 查找工作区中路径与 glob 模式匹配的文件。
tool-glob-search-param-include-hidden = 通配符也匹配以点开头的名称
tool-glob-search-param-include-ignored = 也查找被 .gitignore 排除的文件
tool-glob-search-param-path = 要查找的目录；默认为工作区
tool-glob-search-param-pattern = 相对于 path 的 glob；以 / 结尾则查找目录

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
