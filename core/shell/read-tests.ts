import type { TestExpression } from "./parser.ts";
import { readPattern, readText } from "./read-words.ts";
import type { Reading } from "./reading.ts";
import { plainWord, type Word } from "./tree.ts";

/** Operators of `[[ … ]]` that compare texts or look at files. All others compute, or have a grammar of their own. */
const UNARY = /^-[abcdefghkprstuwxzGLNOSn]$/u;
const BINARY = new Set(["=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"]);
const PATTERN = new Set(["=", "==", "!="]);

/** What stands between the brackets of `[[ … ]]`. */
export function readTest(expression: TestExpression, reading: Reading): readonly (Word | string)[] {
  switch (expression.type) {
    case "TestUnary":
      if (!UNARY.test(expression.operator)) return refused(expression.operator, reading);
      return [expression.operator, plainWord(readText(expression.operand, reading))];
    case "TestBinary": {
      const { operator, left, right } = expression;
      if (!BINARY.has(operator)) return refused(operator, reading);
      const other = PATTERN.has(operator) ? readPattern(right, reading) : plainWord(readText(right, reading));
      return [plainWord(readText(left, reading)), operator, other];
    }
    case "TestLogical":
      return expression.operands.flatMap((operand, index) => [
        ...(index === 0 ? [] : [expression.operator]),
        ...readTest(operand, reading),
      ]);
    case "TestNot":
      return [...expression.negations.map(() => "!"), ...readTest(expression.operand, reading)];
    case "TestGroup":
      return ["(", ...readTest(expression.expression, reading), ")"];
    default:
      return refused("something", reading);
  }
}

function refused(operator: string, reading: Reading): readonly string[] {
  return reading.refuse("expansion", `${operator} in [[ ]] computes or is not understood; use test`, []);
}
