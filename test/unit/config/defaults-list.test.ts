// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
// Hydra's documented behaviour of the defaults list; the examples are those of its documentation (1.3).
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { writeFiles } from "../../support/write-files.ts";

type Files = Readonly<Record<string, string>>;
const load = (files: Files, ...overrides: string[]) => loadConfig(join(writeFiles(files), "config.yaml"), overrides);

const server: Files = {
  "config.yaml": "defaults:\n  - server/apache\n\ndebug: false\n",
  "server/apache.yaml": "defaults:\n  - db: mysql\n\nname: apache\n",
  "server/db/mysql.yaml": "name: mysql\n",
  "server/db/sqlite.yaml": "name: sqlite\n",
};

const database: Files = {
  "config.yaml": "defaults:\n  - db: mysql\n\ndb:\n  host: backup\n",
  "db/mysql.yaml": "driver: mysql\nhost: localhost\nport: 3306\n",
  "db/sqlite.yaml": "driver: sqlite\n",
};

describe("a defaults list", () => {
  it("loads configs and groups, relative to the config that names them", async () => {
    expect(await load(server)).toEqual({ server: { db: { name: "mysql" }, name: "apache" }, debug: false });
  });

  it("lets a config override what its defaults say", async () => {
    expect(await load(database)).toEqual({ db: { driver: "mysql", host: "backup", port: 3306 } });
  });

  it("puts the config where _self_ is", async () => {
    const files = { ...database, "config.yaml": "defaults:\n  - _self_\n  - db: mysql\n\ndb:\n  host: backup\n" };
    expect(await load(files)).toEqual({ db: { driver: "mysql", host: "localhost", port: 3306 } });
  });

  it("takes `override` for a group further down", async () => {
    const config = "defaults:\n  - server/apache\n  - override server/db: sqlite\n";
    expect(await load({ ...server, "config.yaml": config })).toEqual({
      server: { db: { name: "sqlite" }, name: "apache" },
    });
  });

  it("lets the command line choose before any override", async () => {
    const config = "defaults:\n  - server/apache\n  - override server/db: sqlite\n";
    const loaded = await load({ ...server, "config.yaml": config }, "server/db=mysql");
    expect(loaded).toEqual({ server: { db: { name: "mysql" }, name: "apache" } });
  });

  it("loads several choices of one group in order", async () => {
    const files = {
      "config.yaml": "defaults:\n  - site: [fb, google]\n",
      "site/fb.yaml": "fb: {domain: facebook.com}\nlast: fb\n",
      "site/google.yaml": "google: {domain: google.com}\nlast: google\n",
    };
    expect(await load(files)).toEqual({
      site: { fb: { domain: "facebook.com" }, google: { domain: "google.com" }, last: "google" },
    });
    expect(await load(files, "site=[fb]")).toEqual({ site: { fb: { domain: "facebook.com" }, last: "fb" } });
    expect(await load(files, "site=google")).toEqual({ site: { google: { domain: "google.com" }, last: "google" } });
  });

  it("takes null as a place for a later choice, and optional as permission to be absent", async () => {
    const files = { ...database, "config.yaml": "defaults:\n  - db: null\n  - optional db@other: nope\na: 1\n" };
    expect(await load(files)).toEqual({ a: 1 });
    expect(await load(files, "db=sqlite")).toEqual({ db: { driver: "sqlite" }, a: 1 });
  });

  it("extends a config by naming it", async () => {
    const files = {
      "config.yaml": "defaults:\n  - base\nname: Bond\nage: 7\n",
      "base.yaml": "name: ???\nage: ???\nagency: mi6\n",
    };
    expect(await load(files)).toEqual({ name: "Bond", age: 7, agency: "mi6" });
  });

  it("chooses by interpolation of other groups, after all of them are chosen", async () => {
    const files = {
      "config.yaml": "defaults:\n  - combo: ${server}_${db}\n  - server: apache\n  - db: mysql\n",
      "server/apache.yaml": "s: 1\n",
      "db/mysql.yaml": "d: 1\n",
      "db/sqlite.yaml": "d: 2\n",
      "combo/apache_mysql.yaml": "c: am\n",
      "combo/apache_sqlite.yaml": "c: as\n",
    };
    expect(await load(files)).toEqual({ combo: { c: "am" }, server: { s: 1 }, db: { d: 1 } });
    expect(await load(files, "db=sqlite")).toMatchObject({ combo: { c: "as" } });
    const broken = { ...files, "config.yaml": "defaults:\n  - combo: ${nope}\n" };
    await expect(load(broken)).rejects.toThrow(/config\.yaml:2:5: \$\{nope\} is not a group/);
  });

  it("takes a name with .yaml, as ESPnet3 does", async () => {
    expect(await load({ "config.yaml": "defaults: [base.yaml]\n", "base.yaml": "a: 1\n" })).toEqual({ a: 1 });
  });
});

describe("packages", () => {
  it("put content elsewhere, with everything it includes", async () => {
    const files = {
      ...server,
      "config.yaml": "defaults:\n  - server/apache@admin\n\ndebug: false\n",
      "server/apache.yaml": "defaults:\n - db@backup: mysql\n\nname: apache\n",
    };
    expect(await load(files)).toEqual({ admin: { backup: { name: "mysql" }, name: "apache" }, debug: false });
  });

  it("let a group be used twice", async () => {
    const files = { ...server, "config.yaml": "defaults:\n - server/db@src: mysql\n - server/db@dst: mysql\n" };
    expect(await load(files)).toEqual({ src: { name: "mysql" }, dst: { name: "mysql" } });
    expect(await load(files, "server/db@src=sqlite")).toEqual({ src: { name: "sqlite" }, dst: { name: "mysql" } });
    await expect(load(files, "server/db=sqlite")).rejects.toThrow("Did you mean server/db@dst or server/db@src?");
  });

  it.each([
    ["", { group: { server: { db: { name: "mysql" } } } }],
    ["@_here_", { group: { name: "mysql" } }],
    ["@_group_", { group: {}, server: { db: { name: "mysql" } } }],
    ["@_global_", { group: {}, name: "mysql" }],
    ["@_global_.foo", { group: {}, foo: { name: "mysql" } }],
  ])("know the keyword %j", async (pack, expected) => {
    const files = {
      ...server,
      "config.yaml": "defaults: [group/inner]\n",
      "group/inner.yaml": `defaults:\n  - /server/db${pack}: mysql\n`,
    };
    expect(await load(files)).toEqual(expected);
  });

  it("can be given in the file itself", async () => {
    const files = { ...server, "server/db/mysql.yaml": "# @package foo.bar\nname: mysql\n" };
    expect(await load(files)).toEqual({ foo: { bar: { name: "mysql" } }, server: { name: "apache" }, debug: false });
    const top = { ...server, "server/db/mysql.yaml": "# about it\n# @package _global_\nname: mysql\n" };
    expect(await load(top)).toMatchObject({ name: "mysql" });
  });
});

describe("group overrides", () => {
  it.each<[string[], unknown]>([
    [["db=sqlite"], { db: { driver: "sqlite", host: "backup" } }],
    [["~db"], { db: { host: "backup" } }],
    [["~db=mysql"], { db: { host: "backup" } }],
    [["+db@other=sqlite"], { db: { driver: "mysql", host: "backup", port: 3306 }, other: { driver: "sqlite" } }],
    [["db=null"], { db: { host: "backup" } }],
    [["db={port:1}"], { db: { driver: "mysql", host: "backup", port: 1 } }],
    [["db.port=1", "+db.x=2"], { db: { driver: "mysql", host: "backup", port: 1, x: 2 } }],
  ])("%j", async (overrides, expected) => {
    expect(await load(database, ...overrides)).toEqual(expected);
  });

  it("are added with +", async () => {
    const files = { ...database, "config.yaml": "a: 1\n" };
    expect(await load(files, "+db=sqlite")).toEqual({ a: 1, db: { driver: "sqlite" } });
    await expect(load(files, "db=sqlite")).rejects.toThrow("To add it, write +db=sqlite.");
    await expect(load(files, "++db=sqlite")).rejects.toThrow("added with one +");
    await expect(load(files, "~db")).rejects.toThrow("no defaults list has it");
    await expect(load(database, "~db=sqlite")).rejects.toThrow(
      /The choice of db is mysql, not sqlite\.\n {2}-> Write ~db to remove the group/,
    );
  });

  it("are not added where a defaults list has them, but chosen", async () => {
    const open = { ...database, "config.yaml": "defaults:\n  - db: null\n" };
    await expect(load(open, "+db=sqlite")).rejects.toThrow(
      /override \+db=sqlite: The group db is in a defaults list already, as null\.\n {2}-> To choose sqlite, write db=sqlite\./,
    );
    expect(await load(open, "db=sqlite")).toEqual({ db: { driver: "sqlite" } });
    await expect(load(database, "+db=sqlite")).rejects.toThrow("already, as mysql.");
  });

  it("name the choices there are", async () => {
    await expect(load(database, "db=sqlit")).rejects.toThrow(
      /override db=sqlit: There is no config db\/sqlit\.yaml\.\n {2}-> Did you mean sqlite\? There are: mysql, sqlite\./,
    );
    const open = { ...database, "config.yaml": "defaults:\n  - db: ???\n" };
    await expect(load(open)).rejects.toThrow(
      /The group db has to be chosen\.\n.*db=CHOICE\. There are: mysql, sqlite\./,
    );
    expect(await load(open, "db=sqlite")).toEqual({ db: { driver: "sqlite" } });
  });
});

describe("a wrong defaults list", () => {
  it.each<[string, string, RegExp]>([
    ["a section", "defaults: {a: 1}\n", /config\.yaml:1:1: defaults has to be a list/],
    ["a number", "defaults: [1]\n", /config\.yaml:1:12: defaults\[0\] is not an entry/],
    ["two keys", "defaults:\n  - {a: b, c: d}\n", /config\.yaml:2:5: defaults\[0\] is not an entry/],
    ["a choice that is a number", "defaults:\n  - a: 1\n", /config\.yaml:2:5: defaults\[0\]\.a is 1; the name/],
    ["a word that is not known", "defaults:\n  - optinal a: b\n", /config\.yaml:2:5: defaults\[0\] is not an entry/],
    ["_self_ twice", "defaults: [_self_, _self_]\n", /_self_ is in the list twice/],
    ["a config that is not there", "defaults:\n  - nope\n", /config\.yaml:2:5: There is no config nope\.yaml/],
    ["the same group twice", "defaults: [{a: b}, {a: b}]\n", /The group a is in the defaults more than once/],
    ["two choices of a group", "defaults: [{a: b}, {a: c}]\n", /The group a is chosen twice: c and b/],
    [
      "an override of nothing",
      "defaults: [{override a: b}]\n",
      /config\.yaml:1:12: The group a is in no defaults list/,
    ],
    [
      "a group that is not there",
      "defaults:\n  - aa: b\n",
      /config\.yaml:2:5: There is no config aa\/b\.yaml, and no group aa\.\n {2}-> Did you mean a\? There are the groups a beside/,
    ],
    [
      "a misspelt _self_",
      "defaults:\n  - _sefl_\n",
      /no config _sefl_\.yaml\.\n {2}-> Did you mean _self_\? There are: /,
    ],
    ["an override before others", "defaults: [{override a: b}, {a: c}]\n", /a comes after override a/],
    ["a way out of the folder", "defaults: [../secret]\n", /"\.\.\/secret" is not the name of a config/],
    ["an absolute path", "defaults: [//etc/passwd]\n", /is not the name of a config/],
    ["itself", "defaults: [loop]\n", /loop\.yaml:1:12: The config includes itself: loop -> loop/],
  ])("%s", async (_what, config, message) => {
    const files = {
      "config.yaml": config,
      "a/b.yaml": "x: 1\n",
      "a/c.yaml": "x: 2\n",
      "loop.yaml": "defaults: [loop]\n",
    };
    await expect(load(files)).rejects.toThrow(message);
  });

  it("does not grow without end", async () => {
    const names = Array.from({ length: 20 }, (_, i) => [`c${i}.yaml`, `defaults: [c${i + 1}, c${i + 1}]\n`]);
    const files = { "config.yaml": "defaults: [c0]\n", ...Object.fromEntries(names), "c20.yaml": "a: 1\n" };
    await expect(load(files)).rejects.toThrow("more than 2000 configs");
  });
});
