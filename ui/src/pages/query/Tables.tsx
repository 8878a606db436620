// The tables that can be asked, with their columns. A click writes a name where the cursor is.

import { useSignal } from "@preact/signals";
import { api, type SchemaTable } from "../../api/client";
import { Loaded } from "../../components/Loaded";
import { inLanguage, texts } from "../../texts";

const t = texts({
  en: { tables: "Tables", what: "tables", find: "Find a table or column", insert: "Insert {name}" },
  zh: { tables: "表", what: "表", find: "查找表或列", insert: "插入 {name}" },
});

export function Tables({ onInsert }: { onInsert: (text: string) => void }) {
  return (
    <aside class="tables" aria-label={t("tables")}>
      <h2>{t("tables")}</h2>
      <Loaded load={api.schema} of={[]} what={t("what")}>
        {(schema) => <List schema={schema} onInsert={onInsert} />}
      </Loaded>
    </aside>
  );
}

function List({ schema, onInsert }: { schema: SchemaTable[]; onInsert: (text: string) => void }) {
  const text = useSignal("");
  const wanted = text.value.trim().toLowerCase();
  const has = (name: string) => name.toLowerCase().includes(wanted);
  const found = schema.filter(({ table, columns }) => has(table) || columns.some((column) => has(column.name)));
  return (
    <>
      <input
        type="search"
        aria-label={t("find")}
        placeholder={t("find")}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="list" role="region" aria-label={t("tables")} tabIndex={0}>
        {found.map(({ table, about, columns }) => (
          <details key={table} open={wanted !== "" && !has(table)}>
            <summary title={inLanguage(about)}>{table}</summary>
            <p class="hint">{inLanguage(about)}</p>
            <ul>
              <li>
                <Name name={table} onInsert={onInsert} />
              </li>
              {columns.map((column) => (
                <li key={column.name} title={inLanguage(column.about)}>
                  <Name name={column.name} onInsert={onInsert} />{" "}
                  <span class="hint">
                    {column.type} {column.unit}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </>
  );
}

function Name({ name, onInsert }: { name: string; onInsert: (text: string) => void }) {
  return (
    <button type="button" class="plain" aria-label={t("insert", { name })} onClick={() => onInsert(quoted(name))}>
      <code>{name}</code>
    </button>
  );
}

/** Names that are words of SQL are quoted. */
function quoted(name: string): string {
  return /^(end|group|order|table|from|to)$|[^a-z0-9_]/.test(name) ? `"${name}"` : name;
}
