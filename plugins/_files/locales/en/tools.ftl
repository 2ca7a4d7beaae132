### English texts are those of the modules and fragments, word for word.

tool-file-read = Reads a file of the workspace as numbered lines, whole or in part, or as base64.
tool-file-read-param-encoding = utf8 (default), or base64 for a file that is not text, which ignores offset and limit
tool-file-read-param-limit = how many lines; default all
tool-file-read-param-offset = first line, counted from 1; default 1
tool-file-read-param-path = the file, relative to the workspace, at most 10 MiB

tool-word-count = Counts the lines, words, characters and bytes of a text file.
tool-word-count-param-path = the file, relative to the workspace
