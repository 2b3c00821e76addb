import { isRawNumber, type Json, type JsonObject } from "./json.ts";

/** What a cheap look at a text and its parsed value tells. Either may be true without need, and is never wrongly false. */
export interface Survey {
  /** A plain parse may not give every number back as it is written. */
  readonly mayHoldFragileNumber: boolean;
  /** An object may hold one key twice. */
  readonly mayRepeatKey: boolean;
}

/**
 * Compares a text with what a plain parse made of it, in a fraction of the parse's time. The value must nest no deeper than a
 * recursive walk can go; check with isDeeperThan first.
 */
export function surveyJson(text: string, plain: Json): Survey {
  let members = 0;
  let hasFragileMember = false;
  // Every member has a colon after a closing quote. A colon inside of a string may look the same and raise a false alarm.
  for (let colon = text.indexOf(":"); colon !== -1; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= SPACE) before--;
    if (text.charCodeAt(before) !== QUOTE) continue;
    members++;
    hasFragileMember ||= isFragileNumberAt(text, colon + 1);
  }
  const kept: Kept = { members: 0, hasNumberInArray: false };
  if (typeof plain === "object" && plain !== null) count(plain, kept);
  return { mayHoldFragileNumber: hasFragileMember || kept.hasNumberInArray, mayRepeatKey: members > kept.members };
}

/** Minus zero, a fraction, an exponent, or more digits than every double keeps. By hand, because this runs for every member. */
function isFragileNumberAt(text: string, from: number): boolean {
  let at = from;
  let code = text.charCodeAt(at);
  while (code <= SPACE) code = text.charCodeAt(++at);
  if (code < MINUS || code > DIGIT_9) return false;
  const start = at;
  if (code === MINUS) code = text.charCodeAt(++at);
  const isMinusZero = at > start && code === DIGIT_0;
  while (code >= DIGIT_0 && code <= DIGIT_9) code = text.charCodeAt(++at);
  return isMinusZero || at - start > SAFE_DIGITS || code === POINT || (code | LOWER_CASE) === LETTER_E;
}

interface Kept {
  members: number;
  hasNumberInArray: boolean;
}

function count(value: object, kept: Kept): void {
  if (Array.isArray(value)) {
    for (const entry of value) {
      if (typeof entry === "number") kept.hasNumberInArray = true;
      else if (typeof entry === "object" && entry !== null) count(entry, kept);
    }
  } else if (!isRawNumber(value)) {
    // Parsed JSON has no inherited keys.
    for (const key in value) {
      kept.members++;
      const member = (value as JsonObject)[key];
      if (typeof member === "object" && member !== null) count(member, kept);
    }
  }
}

const SAFE_DIGITS = 15;
const SPACE = 0x20;
const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_E = 0x65;
const LOWER_CASE = 0x20;
