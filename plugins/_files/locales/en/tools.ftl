### English texts are those of the modules and fragments, word for word.

tool-content-search = Searches the text of files for a regular expression.
tool-content-search-param-case-sensitive = default true
tool-content-search-param-context-after = lines after each match
tool-content-search-param-context-before = lines before each match
tool-content-search-param-include = a glob for the files, such as "*.ts"
tool-content-search-param-include-hidden = search names that begin with a dot
tool-content-search-param-include-ignored = search what .gitignore leaves out
tool-content-search-param-max-results = at most 1000; default 200
tool-content-search-param-multiline = a match may span lines
tool-content-search-param-output-mode = content (default): lines; files_with_matches: paths; count: how many lines of each
tool-content-search-param-path = a file or a directory; default the workspace
tool-content-search-param-pattern = a regular expression (ripgrep), without look-around

tool-file-edit = Replaces one or more exact pieces of text in a file of the workspace.
tool-file-edit-param-dry-run = true shows the change and writes nothing
tool-file-edit-param-edits = in place of both, several replacements; all are made or none, each of the file as it is now
tool-file-edit-param-edits-new-string = as new_string
tool-file-edit-param-edits-old-string = as old_string
tool-file-edit-param-new-string = what stands there afterwards; empty deletes
tool-file-edit-param-old-string = the text to replace, exactly as it stands there, with enough around it to be there once
tool-file-edit-param-path = the file, relative to the workspace, at most 10 MiB of UTF-8 text

tool-file-read = Reads a file of the workspace as numbered lines, whole or in part, or as base64.
tool-file-read-param-encoding = utf8 (default), or base64 for a file that is not text, which ignores offset and limit
tool-file-read-param-limit = how many lines; default all
tool-file-read-param-offset = first line, counted from 1; default 1
tool-file-read-param-path = the file, relative to the workspace, at most 10 MiB

tool-glob-search = Finds the files of the workspace whose paths match a glob pattern.
tool-glob-search-param-include-hidden = wildcards match names that begin with a dot
tool-glob-search-param-include-ignored = find what .gitignore leaves out
tool-glob-search-param-path = the directory to look in; default the workspace
tool-glob-search-param-pattern = a glob relative to path; a / at the end finds directories

tool-file-write = Creates a file of the workspace, or replaces all of its content.
tool-file-write-param-content = the whole new content, at most 10 MiB
tool-file-write-param-encoding = utf8 (default), or base64 for content that is not text
tool-file-write-param-path = the file, relative to the workspace; missing directories are made

tool-text-editor = Reads, writes and patches text files of the workspace by line numbers.
tool-text-editor-param-action = read (default) shows numbered lines, write replaces the whole file, patch changes lines by number
tool-text-editor-param-content = for write: the whole new content
tool-text-editor-param-edits = for patch: line numbers of the file as it was read; all are made or none
tool-text-editor-param-edits-content = the new lines; without it the lines are deleted
tool-text-editor-param-edits-from = first line to replace, or the line to insert before
tool-text-editor-param-edits-to = last line to replace; without it content is inserted
tool-text-editor-param-line-from = for read: first line, default 1
tool-text-editor-param-line-to = for read: last line, default the end
tool-text-editor-param-path = the file, relative to the workspace

tool-word-count = Counts the lines, words, characters and bytes of a text file.
tool-word-count-param-path = the file, relative to the workspace
