/**
 * What in an argument could be the path of a file, whatever the program makes of it: the argument, the value of an option
 * (`--x=path`, `-f/etc`), parts behind `=`, `:`, `,` and `@`, and all of these with `%2f` decoded. Relative ones that stay
 * below where they are taken from are part of it only where a link could lie there.
 */
export function pathCandidates(word: string): readonly string[] {
  if (/^[\w./+][\w./+-]*$/u.test(word)) return [word];
  const found = new Set<string>();
  for (const form of formsOf(word)) {
    if (ADDRESS.test(form)) addAddress(form, found);
    else if (form.startsWith("-")) addOption(form, found);
    else found.add(form);
    if (!ADDRESS.test(form)) addParts(form, found);
  }
  found.delete("");
  return [...found];
}

const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//u;

/** As it is, and with what programs may decode. */
function formsOf(word: string): readonly string[] {
  const forms = [word];
  for (let times = 0; times < 3 && /%[0-9a-f]{2}/iu.test(forms.at(-1) as string); times++) {
    forms.push((forms.at(-1) as string).replace(/%([0-9a-f]{2})/giu, (_, hex: string) => charOf(hex)));
  }
  return forms;
}

/** A NUL ends a path for most programs, and no path holds one. */
function charOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code === 0 ? "%" : String.fromCharCode(code);
}

/** `x://../a` is a path as well: whoever makes a directory `x:` can use it. */
function addAddress(form: string, found: Set<string>): void {
  found.add(form);
  const file = /^file:\/\/[^/]*(\/.*)$/iu.exec(form)?.[1];
  if (file) found.add(file);
}

const MAX_LETTERS = 4;

function addOption(form: string, found: Set<string>): void {
  const equals = form.indexOf("=");
  if (equals !== -1) {
    const value = form.slice(equals + 1);
    if (ADDRESS.test(value)) addAddress(value, found);
    else found.add(value);
  }
  if (form.startsWith("--")) return;
  // Behind how many letters a value begins only the program knows.
  for (let letters = 1; letters <= MAX_LETTERS; letters++) found.add(form.slice(1 + letters));
  const path = /[/~]|\.\./u.exec(form);
  if (path) found.add(form.slice(path.index));
}

function addParts(form: string, found: Set<string>): void {
  if (!/[=:,@]/u.test(form)) return;
  const rest = form.replace(/[A-Za-z][A-Za-z0-9+.-]*:\/\/[^=,@]*/gu, (address) => {
    addAddress(address, found);
    return "";
  });
  for (const part of rest.split(/[=:,@]/u)) found.add(part);
}

/** Whether one of its steps is `..`. */
export function hasParent(path: string): boolean {
  return path.split("/").includes("..");
}
