### 核心工具，位于 `tools/`。

tool-response = 把最终答复交给用户，并结束本轮对话。
tool-response-param-message = text 的另一个名称；两者只能填写一个
tool-response-param-text = 完整的答复，使用用户所用的语言；可以使用 Markdown

tool-skills-tool = 列出、搜索和加载技能（针对某类任务的书面经验），并读取技能中的文件。
tool-skills-tool-param-action = list（默认）列出全部技能，search 按词语搜索，load 加载一个技能，read_file 读取技能中的一个文件
tool-skills-tool-param-file-path = 用于 read_file：load 所显示的文件树中的路径
tool-skills-tool-param-query = 用于 search：要在名称和描述中查找的词语
tool-skills-tool-param-skill-name = 用于 load 和 read_file：list 所显示的技能名称

tool-unknown = 回应对不存在的工具的请求。
tool-unknown-param-args = 随请求一起给出的参数
tool-unknown-param-requested = 所请求的工具名称

tool-wait = 等待一段时间，或等到某个时刻。
tool-wait-param-days = 等待的数量；各单位相加
tool-wait-param-hours = 等待的数量；各单位相加
tool-wait-param-minutes = 等待的数量；各单位相加
tool-wait-param-seconds = 等待的数量；各单位相加
tool-wait-param-until = 改为指定一个将来的时刻：带时区偏移的 ISO 8601 时间，或本地时间，例如 2030-01-01 09:00 或 18:30（当天）
