// Memory that graph compilers planned.

import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { Viewed } from "../../components/Viewed";
import { texts } from "../../texts";
import { PlannedChart } from "./PlannedChart";

const t = texts({
  en: { title: "Memory planned for static graphs", what: "static graph memory" },
  zh: { title: "静态图规划内存", what: "静态图内存" },
});

export function Planned() {
  return (
    <Card title={t("title")}>
      <Viewed view="static_memory" what={t("what")}>
        {(table) => (
          <>
            <PlannedChart table={table} />
            <DataTable
              table={table}
              name="static_memory"
              columns={columns(["name", "rank", "model", "graph", "bytes", "node_start", "node_end"], { name: { width: 280 }, bytes: { term: "allocation_bytes" } })}
              sort={{ name: "bytes", isDescending: true }}
            />
          </>
        )}
      </Viewed>
    </Card>
  );
}
