import { expect, test } from "vitest";
import { isSameRepository } from "../../src/git/same-repository.ts";

test.each([
  ["https://host/o/r.git", "https://host/o/r.git"],
  ["https://host/o/r.git", "git@host:o/r.git"],
  ["https://host/o/r", "ssh://git@host/o/r.git"],
  ["https://host/o/r/", "ssh://git@host:22/o/r"],
  ["https://me:secret@host/o/r.git", "https://host/o/r.git"],
  ["git://HOST/o/r", "https://host/o/r"],
  ["https://host:8443/o/r", "git@host:/o/r.git"],
  ["file:///srv/r.git", "/srv/r.git"],
  ["/srv/r.git", "/srv/r"],
  ["[::1]:o/r", "ssh://[::1]/o/r.git"],
])("%s and %s name one repository", (one, other) => {
  expect([isSameRepository(one, other), isSameRepository(other, one)]).toEqual([true, true]);
});

test.each([
  ["https://host/o/r.git", "https://host/o/fork.git"],
  ["https://host/o/r.git", "https://other/o/r.git"],
  ["https://host/o/r.git", "https://host.other/o/r.git"],
  ["https://host/o/r.git", "https://host@other/o/r.git"],
  ["git@host:o/r.git", "git@host:me/r.git"],
  ["https://host/O/r", "https://host/o/r"],
  ["/srv/r.git", "/srv/r.git/fork"],
  ["file:///srv/r.git", "https://srv/r.git"],
  ["./r.git", "../r.git"],
])("%s and %s name two", (one, other) => {
  expect([isSameRepository(one, other), isSameRepository(other, one)]).toEqual([false, false]);
});
