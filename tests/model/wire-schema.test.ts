import { expect, test } from "vitest";
import { wireSchema } from "../../core/model/wire-schema.ts";

test("an object schema stays as it is, without its $schema", () => {
  const schema = {
    $schema: "x",
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  const { $schema: _, ...rest } = schema;
  expect(wireSchema(schema)).toEqual(rest);
});

test("any object is an object without known properties", () => {
  expect(wireSchema({})).toEqual({ type: "object", properties: {} });
});

test("alternatives at the root become one object that asks for what all of them ask for", () => {
  const schema = {
    anyOf: [
      { type: "object", properties: { kind: { const: "a" }, x: { type: "number" } }, required: ["kind", "x"] },
      { type: "object", properties: { kind: { const: "b" } }, required: ["kind"], additionalProperties: false },
    ],
    additionalProperties: false,
  };
  expect(wireSchema(schema)).toEqual({
    type: "object",
    properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, x: { type: "number" } },
    required: ["kind"],
  });
});

test("all parts of allOf are asked for", () => {
  const schema = {
    properties: { a: { type: "string" } },
    required: ["a"],
    allOf: [{ properties: { b: { type: "number" } }, required: ["b"] }, { properties: { c: {} } }],
  };
  expect(wireSchema(schema)).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "number" }, c: {} },
    required: ["a", "b"],
  });
});

test("the schema that is given is not changed", () => {
  const schema = Object.freeze({ oneOf: Object.freeze([Object.freeze({ properties: {} })]) });
  expect(wireSchema(schema)).toEqual({ type: "object", properties: {} });
});
