tool-call-subordinate = 让任意配置（profile）的下属智能体完成一项任务，并给出它的答复。
tool-call-subordinate-param-context-id = 继续使用该下属；不填则新建一个下属
tool-call-subordinate-param-message = 完整的任务：目标、已知事实、限制和答复的形式；下属看不到当前对话
tool-call-subordinate-param-profile = 新下属的配置；默认与你相同
tool-call-subordinate-param-reset = 与 context_id 同用并设为 true：由一个新下属取代原来的下属

tool-parallel = 在后台并行运行对其他工具的调用。
tool-parallel-param-action = start（默认，启动）、await（等待结果）、collect（取回已完成的结果，不等待）、cancel（取消）
tool-parallel-param-job-ids = 用于其余操作；默认为所有未结束的任务，但 cancel 必须填写
tool-parallel-param-timeout = 最多等待的秒数，默认 60；未完成的任务继续运行
tool-parallel-param-tool-calls = 用于 start：要启动的调用；所有名称都必须正确，否则一个也不会启动
tool-parallel-param-tool-calls-tool-args = 该工具的参数
tool-parallel-param-tool-calls-tool-name = 工具名称，或“名称:方法”
tool-parallel-param-wait = 与 start 同用并设为 true：立即等待结果
