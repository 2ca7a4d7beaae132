### The core tools, which lie in `tools/`. English texts are those of the modules and fragments, word for word.

tool-response = Gives the final answer to the person and ends the turn.
tool-response-param-message = another name for text; give one of the two, not both
tool-response-param-text = the complete answer in the language of the person; Markdown is fine

tool-skills-tool = Lists, searches and loads skills (written know-how for kinds of tasks), and reads their files.
tool-skills-tool-param-action = list (default) names all, search finds by words, load gives one, read_file a file of one
tool-skills-tool-param-file-path = for read_file: a path from the file tree that load shows
tool-skills-tool-param-query = for search: words to look for in names and descriptions
tool-skills-tool-param-skill-name = for load and read_file: the skill's name as list shows it

tool-unknown = Answers a request for a tool that does not exist.
tool-unknown-param-args = the arguments that came with it
tool-unknown-param-requested = the name that was asked for

tool-wait = Waits for a length of time, or until a moment.
tool-wait-param-days = how many to wait; units are added up
tool-wait-param-hours = how many to wait; units are added up
tool-wait-param-minutes = how many to wait; units are added up
tool-wait-param-seconds = how many to wait; units are added up
tool-wait-param-until = a moment to come instead: ISO 8601 with an offset, or local time as 2030-01-01 09:00 or 18:30 (today)
