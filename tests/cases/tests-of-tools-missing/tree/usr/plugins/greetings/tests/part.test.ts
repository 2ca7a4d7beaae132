// A test of the tool part is still to be written.
import { expect, test } from "vitest";

test("sums", () => expect(1 + 1).toBe(2));
