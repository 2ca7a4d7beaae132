### English texts are those of the modules and fragments, word for word.

tool-call-subordinate = Has a subordinate agent of any profile do a task, and gives its answer.
tool-call-subordinate-param-context-id = goes on with that subordinate; without it a new one begins
tool-call-subordinate-param-message = the whole task: goal, facts, limits and the form of the answer, for it sees nothing of this conversation
tool-call-subordinate-param-profile = of a new one; default your own
tool-call-subordinate-param-reset = true with context_id: a new one takes its place

tool-parallel = Runs calls of other tools side by side in the background.
tool-parallel-param-action = start (default), await (waits for results), collect (takes what is done, without waiting), cancel
tool-parallel-param-job-ids = for the others; default all that are open, but not for cancel
tool-parallel-param-timeout = seconds to wait at most, default 60; what runs longer goes on
tool-parallel-param-tool-calls = for start: the calls; all names must be right, else none is started
tool-parallel-param-tool-calls-tool-args = its arguments
tool-parallel-param-tool-calls-tool-name = name of a tool, or name:method
tool-parallel-param-wait = true with start awaits the results at once
