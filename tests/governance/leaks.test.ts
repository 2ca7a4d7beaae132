import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isPlaceholder, KEY_SHAPES, keysIn } from "../../core/governance/key-shapes.ts";
import { leakIn } from "../../core/governance/leaks.ts";

const SMALL = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const BASE62 = `${SMALL}${SMALL.toUpperCase()}${DIGITS}`;

/** Drawn, and the same in each run: nothing in this file is a key of anything. */
function drawn(length: number, alphabet: string = BASE62, seed = "1"): string {
  let text = "";
  for (let block = 0; text.length < length; block++) {
    const bytes = createHash("sha256").update(`${seed} ${alphabet} ${block}`).digest();
    for (const byte of bytes) if (byte < 256 - (256 % alphabet.length)) text += alphabet[byte % alphabet.length];
  }
  return text.slice(0, length);
}

const percent = (text: string) => text.replace(/./gu, (char) => `%${char.charCodeAt(0).toString(16)}`);
const hex = (length: number, seed?: string) => drawn(length, "0123456789abcdef", seed);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: "1234567890", name: "Ada" })}.${drawn(43)}`;

/** What a shell puts a value in for. */
const VARIABLE = ["$", "{DB_PASSWORD}"].join("");

/** Texts in each of which something must not leave, by what is found. */
const LEAKING: Readonly<Record<string, readonly string[]>> = {
  "a private key": [
    `-----BEGIN ${"PRIVATE"} KEY-----\nMIIE`,
    `-----BEGIN RSA ${"PRIVATE"} KEY-----`,
    `-----BEGIN OPENSSH ${"PRIVATE"} KEY-----\n${drawn(64)}`,
    `note: -----BEGIN PGP ${"PRIVATE"} KEY BLOCK-----`,
  ],
  "a private key of age": [`AGE-SECRET-${"KEY"}-1${drawn(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`],
  "a key of OpenAI or Anthropic": [
    `sk-${drawn(48)}`,
    `sk-proj-${drawn(48, BASE62, "2")}`,
    `sk-ant-api03-${drawn(90)}AA`,
    `curl -H "x: sk-svcacct-${drawn(40)}"`,
    `sk-or-v1-${drawn(64, BASE62, "3")}`,
  ],
  "a key of Stripe": [
    `sk_${"live"}_${drawn(24)}`,
    `rk_${"live"}_${drawn(32)}`,
    `pay with sk_${"test"}_${drawn(24)} please`,
  ],
  "a key of Groq": [`gsk_${drawn(52)}`],
  "a key of xAI": [`xai-${drawn(80)}`],
  "a key of Perplexity": [`pplx-${drawn(48)}`],
  "a token of GitHub": [
    `ghp_${drawn(36)}`,
    `gho_${drawn(36)}`,
    `github_pat_${drawn(22)}_${drawn(59)}`,
    `ghs_${drawn(36)}`,
  ],
  "a token of GitLab": [`glpat-${drawn(20)}`],
  "a key id of AWS": [
    `AKIA${drawn(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
    `id=ASIA${drawn(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
  ],
  "a key of Google": [`AIza${drawn(35)}`, `https://maps.example.org/js?key=AIza${drawn(35)}`, `GOCSPX-${drawn(28)}`],
  "a token of Google": [`ya29.${drawn(60)}`, `1//0${drawn(40)}`],
  "a token of Slack": [
    `xoxb-${drawn(12, DIGITS)}-${drawn(12, DIGITS)}-${drawn(24)}`,
    `xoxp-${drawn(12, DIGITS)}-${drawn(32)}`,
    `xoxe.xoxp-1-${drawn(40)}`,
    `xapp-1-A0${drawn(9)}-${drawn(12, DIGITS)}-${hex(64)}`,
    `xwfp-${drawn(40)}`,
  ],
  "a webhook of Slack": [`https://hooks.slack.com/services/T${drawn(8)}/B${drawn(8)}/${drawn(24)}`],
  "a webhook of Discord": [`https://discord.com/api/webhooks/${drawn(18, DIGITS)}/${drawn(68)}`],
  "a token of a Discord bot": [`M${drawn(23)}.${drawn(6)}.${drawn(38)}`],
  "a token of a Telegram bot": [
    `1${drawn(9, DIGITS)}:${drawn(35)}`,
    `https://api.telegram.org/bot1${drawn(9, DIGITS)}:${drawn(35)}/getMe`,
  ],
  "a token of npm": [`//registry.example.org/:_x=npm_${drawn(36)}`],
  "a token of PyPI": [`pypi-AgEIcHlwaS5vcmc${drawn(60)}`],
  "a token of Hugging Face": [`hf_${drawn(34)}`],
  "a key of SendGrid": [`SG.${drawn(22)}.${drawn(43)}`],
  "a key of Twilio": [`SK${hex(32)}`],
  "a token of DigitalOcean": [`dop_v1_${hex(64)}`],
  "a token of Shopify": [`shpat_${hex(32)}`],
  "a token of Vault": [`hvs.${drawn(60)}`],
  "a token of Databricks": [`dapi${hex(32)}`],
  "a key of Azure": [`DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${drawn(86)}==`],
  "a JSON web token": [jwt, `Cookie: session=${jwt}`],
  "a password in an address": [
    "postgres://app:hunter2@db.internal:5432/app",
    "mysql://root:S3cr3t-word@10.0.0.5/shop",
    "mongodb+srv://app:p4ssw0rd9@cluster0.example.net/?retryWrites=true",
    "redis://:a-long-phrase-7@cache:6379/0",
    "amqp://guest1:guest9pass@mq.example.net",
    "git clone https://ada:tok3nvalue@git.example.org/a/b.git",
  ],
  "a password, a key or a token behind its name": [
    "password=hunter2hunter2",
    'password: "c0rrect-horse"',
    '{"api_key": "abc123def456ghi"}',
    `AWS_SECRET_ACCESS_KEY=${drawn(40)}`,
    "DB_PASSWORD='s3cretWord9'",
    `Authorization: Bearer ${drawn(30)}`,
    `authorization=Basic ${Buffer.from("ada:lovelace1815").toString("base64")}`,
    `https://api.example.org/v1/x?access_token=${drawn(20)}`,
    `https://api.example.org/v1/x?api_key=${hex(32)}`,
    `client_secret=${drawn(24)}&grant_type=refresh`,
    `export STRIPE_WEBHOOK_SECRET="${hex(40)}"`,
    "passphrase: 9-lives-of-a-cat",
    "auth_token => 'k9j8h7g6f5d4'",
    "SECRET_KEY: 4f8a-22bb-changed-9",
  ],
  "a long text that looks drawn at random": [
    drawn(32),
    `the value is ${drawn(40, BASE62, "7")}, keep it`,
    drawn(43, `${BASE62}-_`, "8"),
    `https://collect.example.org/?d=${drawn(36, BASE62, "9")}`,
    `https://search.example.org/?q=${drawn(36, BASE62, "16")}`,
    `https://x.example.org/?v=${drawn(30, BASE62, "17")}&ref=a`,
    `"x": "${drawn(28, BASE62, "10")}"`,
    drawn(40, `${BASE62}+/`, "11"),
    `请把 ${drawn(32, BASE62, "12")} 发给他`,
    drawn(64, BASE62, "13"),
    drawn(36, `${SMALL}${DIGITS}`, "14"),
    `key\n${drawn(30, BASE62, "15")}\n`,
    Buffer.from(`sk_${"live"}_${drawn(24)}`).toString("base64"),
  ],
};

/** Texts that are what they look like, and hold no secret. */
const CLEAN: readonly string[] = [
  // Words.
  "How many lines has README.md?",
  "What is the weather in Lisbon tomorrow, and in Porto the day after?",
  "the quick brown fox jumps over the lazy dog",
  "Incomprehensibilities and antidisestablishmentarianism",
  "Donaudampfschifffahrtsgesellschaftskapitän",
  "please reset my password: it has expired",
  "The token is a string of characters; tokens: 1500",
  "password",
  "Is the API key rotated every 90 days?",
  "secret: sauce recipe with tomatoes",
  // Names of files, paths, packages.
  "quarterly-report-2024-final-version-3-reviewed.pdf",
  "IMG_20240102_123456789_HDR_portrait_mode.jpg",
  "Screenshot_2024-03-05-14-22-33-123_com.example.app.png",
  "sk-learn-compatible-estimators-tutorial-2024.ipynb",
  "src/components/UserProfile/UserProfileSettingsDialog.test.tsx",
  "/usr/local/lib/python3.11/site-packages/sklearn/model_selection/_split.py",
  "./node_modules/.pnpm/@babel+core@7.24.0/node_modules/@babel/core",
  "C:\\Users\\user\\AppData\\Local\\Programs\\Microsoft VS Code\\Code.exe",
  "usr/plugins/weather/tools/weather_forecast_daily.ts",
  "vendor.8f3a2b1c9d7e6f5a4b3c.chunk.min.js",
  "assets/index-BxK3f9aZ.js",
  "com.example.application.feature.authentication.LoginViewModelImpl2",
  "my-deployment-7d9f8b6c5d-x2x4z",
  "ip-10-0-12-34.eu-central-1.compute.internal",
  "arn:aws:iam::123456789012:role/application-production-role",
  "registry.example.org/team/application-server:v2024.03.05-rc1",
  "backup_2024-01-02T03-04-05-678Z_full_database.sql.gz",
  "Lecture 12 - Introduction to Algorithms (2023) [1080p].mkv",
  // Addresses without credentials.
  "https://example.org/blog/2024/03/how-we-made-dispatch-ten-times-faster",
  "https://en.wikipedia.org/wiki/Thermodynamic_equilibrium#Local_and_global_equilibrium",
  "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
  "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLFgquLnL59alCl_2TQvOiD5Vgm1hCaGSI",
  "https://github.com/owner/repo/blob/4f2a9c1e8b7d6a5f4e3c2b1a09f8e7d6c5b4a392/src/index.ts",
  "https://example.org/search?q=how+to+count+words&page=2&sort=newest",
  "https://shop.example.org/?gclid=Cj0KCQjwqP2pBhDMARIsAJQ0CzqW8VtTsmbv9aZ",
  "https://example.org/login?next_page_token=EAAaBlBUOkNBVQ",
  "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz",
  "https://cdn.example.org/images/2024/03/05/9f86d081884c7d659a2feaa0c55ad015_1920x1080.webp",
  "http://localhost:3000/api/v1/users/42/orders?limit=50&offset=100",
  "https://user@example.org/path",
  "ssh://git@git.example.org:22/owner/repo.git",
  "postgres://localhost:5432/app",
  `postgres://app:${VARIABLE}@db:5432/app`,
  "https://user:password@example.org/",
  "mailto:someone@example.org?subject=Hello%20there",
  // Ids and hashes.
  "123e4567-e89b-12d3-a456-426614174000",
  "550E8400-E29B-41D4-A716-446655440000",
  hex(32),
  `commit ${hex(40)}`,
  `sha256:${hex(64)}`,
  hex(128),
  hex(40).toUpperCase(),
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "507f1f77bcf86cd799439011",
  "0x742d35cc6634c0532925a3b844bc454e4438f44e",
  `call_${drawn(24)}`,
  `toolu_01${drawn(22)}`,
  `chatcmpl-${drawn(29)}`,
  `pi_${drawn(24)}`,
  `msg_${drawn(24)}`,
  `[receipt: rcpt_${drawn(26, "abcdefghijklmnopqrstuvwxyz234567")}]`,
  `session 20240305T142233123-${hex(8)}`,
  `sha512-${createHash("sha512").update("x").digest("base64")}`,
  `"integrity": "sha256-${createHash("sha256").update("x").digest("base64")}"`,
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${drawn(43)} someone@host`,
  `-----BEGIN CERTIFICATE-----\n${drawn(64)}\n${drawn(64, BASE62, "2")}\n-----END CERTIFICATE-----`,
  "2024-03-05T14:22:33.123456789Z",
  "DE89 3704 0044 0532 0130 00",
  "9783161484100 4006381333931 5901234123457",
  `<${drawn(30)}@mail.example.org>`,
  "urn:isbn:9780306406157",
  "v2.10.3-beta.4+build.20240305.sha.5114f85",
  // Encoded texts, images and data.
  Buffer.from("hello world, this is a test of the encoding").toString("base64"),
  Buffer.from("今天天气很好，我们去公园吧").toString("base64"),
  Buffer.from(JSON.stringify({ page: 2, sort: "newest" })).toString("base64url"),
  `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==`,
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
  "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkS",
  "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
  drawn(4_000, `${BASE62}+/`),
  `![chart](data:image/svg+xml;base64,${drawn(120)})`,
  "JVBERi0xLjQKJeLjz9MKMyAwIG9iago8PC9MZW5ndGggNCAwIFI",
  "%E4%BB%8A%E5%A4%A9%E5%A4%A9%E6%B0%94%E5%BE%88%E5%A5%BD",
  // Other scripts.
  "今天北京的天气怎么样？请用摄氏度回答，并说明风向和湿度。",
  "東京の明日の天気を教えてください。傘は必要ですか？",
  "오늘 서울 날씨를 알려 주세요. 우산이 필요한가요?",
  "Сколько строк в файле README и когда он был изменён?",
  "مرحبا كيف حالك اليوم؟ أريد أن أعرف حالة الطقس",
  "🎉🎊 Congratulations 🥳🥳🥳 to everybody involved 👩‍👩‍👧‍👦!",
  // Code.
  "!function(e,t){var n=e.documentElement,r=t.createElement('div');return r.appendChild(n)}(window,document);",
  "const getElementsByClassNameAndAttribute2 = (className, attributeName) => [];",
  "MAX_NUMBER_OF_CONCURRENT_CONNECTIONS_PER_HOST_2",
  "const token = await getToken(request);",
  "password = os.environ['DB_PASSWORD']",
  "api_key: process.env.API_KEY",
  'headers: { Authorization: "Bearer " + token }',
  "Authorization: Bearer <your-token>",
  `password=${VARIABLE}`,
  "api_key=YOUR_API_KEY_HERE_123",
  "SELECT id, password_hash FROM users WHERE created_at > '2024-01-01'",
  "max_tokens=150000, temperature=0.7, total_tokens: 12345678",
  "git rebase --onto main feature/JIRA-1234-add-user-authentication-v2",
  "Button_primary__3xK9a Card_wrapper__2bYq1 Layout_sidebarCollapsed__9ZpLm",
  "webpack:///./src/utilities/formatCurrencyWithLocale.ts?a1b2",
  "§§secret(GITHUB_TOKEN)",
  "Authorization: Bearer §§secret(OPENAI_API_KEY)",
  "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "export OPENAI_API_KEY=sk-...",
  "pageToken=CAUQAA sortKey=name2 partition_key=tenant42",
  "public_key: ed25519 AAAA",
  "npm run test -- --reporter=verbose --testNamePattern='parses tokens 2'",
  'W/"5f3-kX9aZ"; max-age=31536000',
  "translate3d(0,0,0) cubic-bezier(0.25,0.46,0.45,0.94)",
];

describe("a leak", () => {
  const leaking = Object.entries(LEAKING).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const));

  it("is measured on enough texts", () => {
    expect(leaking.length).toBeGreaterThanOrEqual(60);
    expect(CLEAN.length).toBeGreaterThanOrEqual(100);
  });

  it.each(leaking)("is found: %s: %s", (kind, text) => {
    expect(leakIn(text)).toBe(kind);
    expect(leakIn(`Please look this up, it is for the report:\n\n${text}\n\nThank you.`)).toBe(kind);
  });

  it.each(CLEAN)("is not found in %s", (text) => {
    expect(leakIn(text)).toBeUndefined();
    expect(leakIn(`See ${text} for the rest.`)).toBeUndefined();
  });

  it.each<[string, (key: string) => string]>([
    ["percent signs", (key) => `https://x.example.org/?a=${percent(key)}`],
    ["percent signs twice", (key) => `?a=${encodeURIComponent(percent(key))}`],
    ["characters without a width", (key) => `${key.slice(0, 2)}\u200b${key.slice(2, 9)}\u2060${key.slice(9)}`],
    ["full width", (key) => key.replace(/[!-~]/gu, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0))],
    ["base64", (key) => Buffer.from(`it is ${key}`).toString("base64")],
  ])("is found behind %s", (_, hidden) => {
    expect(leakIn(hidden(`ghp_${drawn(36)}`))).toBeDefined();
  });

  it("is found in an address that is an argument of another one", () => {
    const address = encodeURIComponent("postgres://app:hunter2!x@db.internal/app");
    expect(leakIn(`https://x.example.org/?to=${address}`)).toBe("a password in an address");
  });

  it("is found in nothing that was drawn as hexadecimal, and in nearly all that was drawn otherwise", () => {
    const seeds = Array.from({ length: 200 }, (_, index) => `seed ${index}`);
    expect(seeds.filter((seed) => leakIn(hex(48, seed)))).toEqual([]);
    expect(seeds.filter((seed) => leakIn(drawn(32, BASE62, seed))).length).toBeGreaterThanOrEqual(196);
  });

  it("takes no time that grows with the square of a text", () => {
    const began = performance.now();
    for (const unit of ["a1", "eyJ-", "sk-", "a@", "password", "://", "x_", "=", "AB12cd/"])
      leakIn(unit.repeat(100_000));
    // Not a measure of speed: a square would take minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe("the table of keys", () => {
  it("has a text for each row", () => {
    expect(KEY_SHAPES.map(({ name }) => name).filter((name) => !LEAKING[name])).toEqual([]);
  });

  it("tells where a key stands, and takes no placeholder for one", () => {
    const key = `ghp_${drawn(36)}`;
    expect([...keysIn(`a ${key} b`)]).toEqual([{ name: "a token of GitHub", index: 2, text: key }]);
    expect([...keysIn(`ghp_${"x".repeat(36)}`)]).toEqual([]);
    expect(isPlaceholder(VARIABLE)).toBe(true);
    expect(isPlaceholder(key)).toBe(false);
  });
});
