import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** The key of a ledger, with which a host signs what it writes. */
export interface LedgerKey {
  /** See {@link keyId}. */
  readonly id: string;
  /** The public half: SPKI in base64, as lines of a ledger and exports carry it. */
  readonly publicKey: string;
  /** Ed25519, in base64url. Everybody can check it who has the public half. */
  sign(text: string): string;
  /**
   * HMAC-SHA256 with a secret made of the private half, in base64url: a twentieth of the price of a signature. It tells
   * a host that a line was written by one that has the key; nobody else can check it.
   */
  seal(text: string): string;
}

/**
 * Makes a private key in a file, PEM of PKCS #8, that only its owner can read.
 * @throws the error of the file system
 */
export function makeLedgerKey(file: string): LedgerKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const temporary = `${file}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  // Whole under its name or not at all, and never readable by others, not even for a moment.
  writeFileSync(temporary, privateKey.export({ type: "pkcs8", format: "pem" }), { flag: "wx", mode: 0o600 });
  renameSync(temporary, file);
  return keyOf(privateKey);
}

/** The key of a file; undefined where there is none. @throws the error of the file system when it cannot be read */
export function readLedgerKey(file: string): LedgerKey | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === "ed25519" ? keyOf(key) : undefined;
  } catch {
    // What is there is no key any more: as good as lost, which the ledger says.
    return undefined;
  }
}

function keyOf(privateKey: KeyObject): LedgerKey {
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const secret = createHash("sha256")
    .update("toolroom ledger line\0")
    .update(privateKey.export({ type: "pkcs8", format: "der" }))
    .digest();
  return {
    id: keyId(spki),
    publicKey: spki.toString("base64"),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64url"),
    seal: (text) => createHmac("sha256", secret).update(text).digest("base64url"),
  };
}

/** The name of a key: the first 16 hex digits of the SHA-256 of its public half, SPKI in DER. */
function keyId(spki: Uint8Array): string {
  return createHash("sha256").update(spki).digest("hex").slice(0, 16);
}

/** Checks signatures of one key. */
export type SignatureCheck = (text: string, signature: string) => boolean;

/** @param publicKey as {@link LedgerKey} has it @returns undefined for what is no Ed25519 key in its one form */
export function signatureCheck(publicKey: string): { readonly id: string; readonly check: SignatureCheck } | undefined {
  const spki = Buffer.from(publicKey, "base64");
  if (spki.toString("base64") !== publicKey) return undefined;
  try {
    const key = createPublicKey({ key: spki, type: "spki", format: "der" });
    if (key.asymmetricKeyType !== "ed25519") return undefined;
    const check: SignatureCheck = (text, signature) => {
      const bytes = Buffer.from(signature, "base64url");
      // Several texts of base64 stand for the same bytes; one of them counts, or a changed character would not be seen.
      return bytes.toString("base64url") === signature && verify(null, Buffer.from(text), key, bytes);
    };
    return { id: keyId(spki), check };
  } catch {
    return undefined;
  }
}
