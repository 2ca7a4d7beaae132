/**
 * What the offline model knows of language: families of words that mean the same in a question, in English and
 * Chinese. They are general words, not the words of any tool; a tool brings its own through its description and
 * examples. Words are separated by spaces, a phrase has hyphens between its words.
 */
export const FAMILIES: Readonly<Record<string, string>> = {
  count:
    "count counts tally number numbers quantity total totals how-many how-much 多少 几 几个 多少个 统计 统计一下 计数 数量 总数 数一数 数一下 数数 总共 一共 共有 calculate compute calculates computes 计算 计算一下 算 算一下 算算 算出",
  size: "size big large length how-big how-large how-long how-large 大小 多大 多长 长度 体积",
  line: "line lines row rows loc 行 行数",
  word: "word words 单词 词 词数 字数 字 单词数",
  char: "character characters char chars letter letters 字符 字符数 字母",
  byte: "byte bytes 字节 字节数",
  file: "file files document documents doc 文件 文档 文本 文本文件",
  content:
    "content contents body text inside contain contains containing say says what-is-in what's-in whats-in written 内容 正文 全文 里面有什么 里有什么 里写了什么 写了什么 写了些什么 写的是什么 里面是什么 里是什么 里面写了什么 里面的东西",
  read: "read reads open print cat dump 读 读取 读一下 读读 读出 阅读 打开 念 念一下 打印",
  show: "show shows display displays view see look look-at peek glance get give output 查看 看 看看 看一下 看一看 显示 显示一下 展示 给我看 给我看看 瞧瞧 输出",
  first: "first top head beginning 前 前面 开头 最前 头 最前面 前几",
  from: "from starting start starts beginning-at start-at 从 起 开始 自",
  to: "to through 到 至",
  wait: "wait waits sleep sleeps pause pauses hold hold-on hold-off delay delays idle rest stand-by nap take-a-break have-a-break do-nothing take-a-rest 等 等待 等等 等一下 等一等 等上 等候 等到 稍等 暂停 休眠 睡 睡眠 停 停顿 休息 歇 歇一会 延迟 延时",
  second: "second seconds sec secs s 秒 秒钟",
  minute: "minute minutes min mins m 分钟 分",
  hour: "hour hours hr hrs h 小时 钟头 个小时 个钟头",
  day: "day days d 天 整天",
  week: "week weeks 周 星期 个星期 礼拜",
  month: "month months 月 个月",
  year: "year years 年",
  ordinal: "第",
  until: "until till til 直到",
  skill: "skill skills 技能",
  list: "list lists enumerate available installed exist exists existing which overview 列出 列举 罗列 有哪些 都有哪些 哪些 清单 列表 一览",
  search:
    "search searches find finds look-for look-up lookup 搜索 搜 搜一下 搜寻 查找 找 找找 找一下 找一找 寻找 查 查一下 检索 有没有 有没",
  about: "about regarding concerning on for with related-to around 关于 有关于 有关 相关 跟 和",
  load: "load loads activate use using apply 加载 载入 启用 使用 用 装载 激活 用一下",
  code: "code source 代码 源码 源代码",
  encode: "encode encodes encoded encoding 编码",
  url: "url link web webpage website page 网页 网址 链接 网站",
  folder: "folder folders directory directories 目录 文件夹",
};

/** Families whose words say little by themselves: "show me …" can ask for anything. */
export const LIGHT_FAMILIES: ReadonlySet<string> = new Set(["show", "content", "file", "code"]);

/** Families that tie values to their places; by themselves they mean nothing. */
export const TIE_FAMILIES: ReadonlySet<string> = new Set(["from", "to", "about", "until", "ordinal"]);

/** Chinese signs that stand for themselves wherever they are; other single signs are parts of longer words too often. */
export const FREE_SIGNS = "的了吗呢是在有和我你您第";

/**
 * Words that turn a question into another one, a family a line. A question with such a word is served only by a
 * tool that knows it, however well the rest fits: "delete README.md" must not read it.
 */
export const DECISIVE_FAMILIES: readonly string[] = `
not don't dont never cannot can't without no avoid 没有 不要 别 不用 不必 不许 勿 不
last tail bottom final ending 最后 末尾 结尾 末 倒数 后几
delete deletes remove erase drop trash 删除 删 删掉 去掉 移除
clear clean wipe empty blank 清空 清除 清理 空行
write writes compose draft 写 写入 写一 写个 写篇 写首 写信 起草
save store 保存 存
create creates make generate produce new 创建 新建 建 生成
add append insert put 添加 加 追加 插入 放
edit edits change changes changed modify update 编辑 修改 改 更新
replace 替换 换成 改成
fix repair correct improve refactor rewrite 修复 重写 改进 重构
rename 重命名 改名
move 移动 移到
copy duplicate backup 复制 拷贝 备份
run runs execute 运行 执行
launch restart reboot 启动 重启
stop cancel kill shutdown 停止 取消 关机 关闭
install uninstall 安装 卸载
build compile deploy 构建 编译 部署
commit push pull checkout 提交 推送
send sends email mail 发送 发 发给 邮件 寄
post publish share tweet 发布 分享
upload 上传
download fetch 下载 抓取
browse visit 浏览 访问
translate translates 翻译 译成
summarize summarise summary 总结 概括 摘要
explain describe 解释 说明 介绍
proofread review paraphrase 校对 审查 润色
analyse analyze 分析
compare compares diff differ difference 比较 对比 区别 差异
merge join combine 合并
split 拆分 拆成
sort reverse 排序 倒序
filter group 过滤 分组
convert transform 转换 转成
format 格式化
compress zip unzip extract 压缩 解压 提取
encrypt decrypt hash 加密 解密 哈希
validate verify 校验 验证
solve sum average 求 求和 平均
plus minus times multiply divide subtract 加上 减去 乘以 除以
root sqrt square 平方 开方
draw paint 画
sing play 唱 播放
joke story poem song 笑话 故事 诗 歌
buy purchase order pay 买 购买 订 预订 支付 付款
book reserve flight ticket hotel 机票 酒店
recommend suggest 推荐 建议
guess predict 猜 预测
remind reminder schedule alarm timer notify 提醒 安排 闹钟 定时 通知
call phone dial 打电话
teach learn 教 学习
remember record memorize 记住 记录
forget 忘记
why 为什么 为何
who whose whom 谁
when 什么时候 何时
where 哪里 哪儿 在哪
tomorrow yesterday tonight next weekend monday tuesday wednesday thursday friday saturday sunday 明天 后天 昨天 今晚 明早 下周 周末
each per every 每 每个 每行 各 各有
longest largest biggest most 最长 最大 最多
shortest smallest least fewest 最短 最小 最少
unique distinct 重复 不同`
  .trim()
  .split("\n");

/** Words that carry no meaning of their own in a question. */
export const STOP_WORDS =
  "a an the this that these those it its it's i i'd i'm i'll me my mine we us our you your he she they them their is are was were be been being am do does did doing done have has had having will would shall should can could may might must of in at by as into onto over up out off and or but if then than so too also just only now please pls kindly thanks thank hey hi dear ok okay well let let's lets tell know want wanted need like wish wonder wondering curious ask how what what's whats there here some any all both such very quite really exactly precisely actually currently right moment bit little quick quickly one me-know got gotten continue continues continuing more take takes uses going before after instead today check checking 检查 检查一下 看看有没有 有什么 都有什么 是不是 要不要 对不对 不知道 不好意思 go ahead able help helps figure work long make-it to-me you-can much many via each-other anything something everything in-total altogether overall whole entire full complete entirely again myself yourself could-you " +
  "的 了 吗 呢 吧 啊 呀 哦 嘛 么 是 在 里 里面 里头 中 上 这 那 这个 那个 这些 那些 个 我 你 您 我们 你们 他 她 它 请 请问 请你 请您 帮 帮我 帮忙 帮个忙 麻烦 麻烦你 麻烦您 一下 一个 一共有 有 把 被 给 给我 让 就 都 还 也 再 先 然后 继续 再继续 接着 能 能否 能不能 可以 可不可以 可否 会 想 想要 想知道 知道 要 需要 告诉 告诉我 说 说说 什么 啥 怎么 怎样 如何 多 些 一些 所有 全部 整个 完整 到底 究竟 目前 今天 现在 当前 一会 一会儿 会儿 后 之后 以后 钟 左右 大概 大约 谢谢 谢啦 好 好的 嗯 吧 啦 呗 一起 之 与 及 该 此 其 名叫 叫 叫做 名为 为 时候 时 可 下 来 去 得 地 着 过 你能 您能 你可以 份 篇 项 种 段 占 总";

/** Words that ask for a quantity of what follows them. */
export const HOW_MANY = /^(?:how many|how much|多少个?|几个?)$/i;

/** Number words; Chinese numerals are read digit by digit. */
export const NUMBER_WORDS: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  hundred: 100,
};

/** Files that are known by a name without an extension. */
export const BARE_FILES: ReadonlySet<string> = new Set(
  "README LICENSE LICENCE CHANGELOG CONTRIBUTING NOTICE AUTHORS TODO Makefile Dockerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile".split(
    " ",
  ),
);
