// Which group and kind of operations are looked at; the same on all parts of the page.

import type { Table } from "../../api/table";
import { distinct, rowsThat } from "../../components/derived";
import { choose, param } from "../../components/params";
import { Select } from "../../components/Select";
import { texts } from "../../texts";

const t = texts({
  en: { group: "Group", kind: "Kind", all: "All" },
  zh: { group: "通信组", kind: "类型", all: "全部" },
});

/** What is chosen, and the column that is looked at: groups by the names that people know. */
const FILTERS = [
  { name: "group", column: "group_name" },
  { name: "kind", column: "kind" },
] as const;

/** Selects for what a table has. */
export function Filters({ table }: { table: Table }) {
  return (
    <>
      {FILTERS.map(({ name, column }) => {
        const values = distinct(table, column);
        const value = values.includes(param(name)) ? param(name) : "";
        if (values.length < 2 && value === "") return null;
        return (
          <Select
            key={name}
            label={t(name)}
            value={value}
            options={[{ value: "", label: t("all") }, ...values.map((value) => ({ value, label: value }))]}
            onChange={(value) => choose({ [name]: value })}
          />
        );
      })}
    </>
  );
}

/** The rows of the group and kind that are chosen. What the table does not have is no filter. */
export function filtered(table: Table): Table {
  const filters = FILTERS.map(({ name, column }) => ({ texts: table.texts(column), wanted: param(name) })).filter(
    ({ texts, wanted }) => wanted !== "" && texts.includes(wanted),
  );
  return rowsThat(table, (row) => filters.every(({ texts, wanted }) => texts[row] === wanted));
}
