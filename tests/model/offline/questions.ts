import type { JsonObject } from "../../../core/sdk/result.ts";

/** A question of a person, and the call that answers it. */
export interface Question {
  readonly say: string;
  readonly tool: string;
  readonly args: JsonObject;
}

const q = (say: string, tool: string, args: JsonObject): Question => ({ say, tool, args });

/** Forty questions that the tools of the default profile can serve, worded unlike the fragments' examples. */
export const QUESTIONS: readonly Question[] = [
  q("How many lines are in package.json?", "word_count", { path: "package.json" }),
  q("Please tell me the number of words in docs/intro.md.", "word_count", { path: "docs/intro.md" }),
  q("What's the word count of notes.txt?", "word_count", { path: "notes.txt" }),
  q("Could you please work out the character count of src/util.ts?", "word_count", { path: "src/util.ts" }),
  q("I'd like to know how many bytes logo.svg takes up", "word_count", { path: "logo.svg" }),
  q("Give me the total number of rows in data/users.csv", "word_count", { path: "data/users.csv" }),
  q("How big is CHANGELOG.md?", "word_count", { path: "CHANGELOG.md" }),
  q('line count for "my notes.txt"', "word_count", { path: "my notes.txt" }),
  q("请问 package.json 一共多少行", "word_count", { path: "package.json" }),
  q("帮我数一下 docs/a.md 里有多少个字", "word_count", { path: "docs/a.md" }),
  q("logo.svg 占多少字节？", "word_count", { path: "logo.svg" }),
  q("能不能告诉我 LICENSE 的行数", "word_count", { path: "LICENSE" }),
  q("“会议记录.md”一共多少字？", "word_count", { path: "会议记录.md" }),
  q("Open the file tsconfig.json", "file_read", { path: "tsconfig.json" }),
  q("Let me see what's inside .gitignore", "file_read", { path: ".gitignore" }),
  q("cat /etc/hosts", "file_read", { path: "/etc/hosts" }),
  q("I want to take a look at ../other/readme.txt", "file_read", { path: "../other/readme.txt" }),
  q("Display the first ten lines of data.csv", "file_read", { path: "data.csv", limit: 10 }),
  q("Give me lines 40 through 60 of app.py", "file_read", { path: "app.py", offset: 40, limit: 21 }),
  q("Read src/a.ts starting at line 30", "file_read", { path: "src/a.ts", offset: 30 }),
  q("Get photo.jpg encoded in base64", "file_read", { path: "photo.jpg", encoding: "base64" }),
  q("请把 notes.txt 的内容显示给我", "file_read", { path: "notes.txt" }),
  q("看看 package.json 里面有什么", "file_read", { path: "package.json" }),
  q("把 LICENSE 的全文读出来", "file_read", { path: "LICENSE" }),
  q("查看 app.py 第 40 到 60 行", "file_read", { path: "app.py", offset: 40, limit: 21 }),
  q("Could you sleep for half an hour?", "wait", { hours: 0.5 }),
  q("Please delay by 500 seconds", "wait", { seconds: 500 }),
  q("Wait 1 hour and 30 minutes", "wait", { hours: 1, minutes: 30 }),
  q("Hold until 6pm", "wait", { until: "18:00" }),
  q("休息 5 分钟再说", "wait", { minutes: 5 }),
  q("先等一个半小时", "wait", { hours: 1.5 }),
  q("等到下午6点半", "wait", { until: "18:30" }),
  q("What skills are there?", "skills_tool", { action: "list" }),
  q("Have you got a skill for writing commit messages?", "skills_tool", {
    action: "search",
    query: "writing commit messages",
  }),
  q("Please use the code-review skill", "skills_tool", { action: "load", skill_name: "code-review" }),
  q("Show checklists/pr.md from the skill code-review", "skills_tool", {
    action: "read_file",
    skill_name: "code-review",
    file_path: "checklists/pr.md",
  }),
  q("请列出所有可用的技能", "skills_tool", { action: "list" }),
  q("有没有关于测试的技能？", "skills_tool", { action: "search", query: "测试" }),
  q("请启用 pdf-tools 这个技能", "skills_tool", { action: "load", skill_name: "pdf-tools" }),
  q("找一下和数据库有关的技能", "skills_tool", { action: "search", query: "数据库" }),
];

/** Ten that no tool of the default profile can serve, however close their words are. */
export const UNSERVED: readonly string[] = [
  "What is the weather in Paris?",
  "Delete README.md",
  "Translate docs/guide.md into French",
  "Show the last 10 lines of server.log",
  "How many people live in France?",
  "Wait, what time is it?",
  "比较 a.txt 和 b.txt",
  "写一首 20 行的诗",
  "README.md 是谁写的？",
  "一天有多少秒？",
];
