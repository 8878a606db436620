// What was not collected, and the setting that would have collected it, in the dialect of the trainer's configuration.

import { useSignal } from "@preact/signals";
import type { Health, NotCollected } from "../../api/client";
import { Card } from "../../components/Card";
import { Select } from "../../components/Select";
import { formatRanks, go, scope } from "../../scope";
import { Icon } from "../../shell/Icon";
import { colon, messageText, texts } from "../../texts";

const t = texts({
  en: {
    title: "Missing data",
    complete: "All data that npuscope uses was collected.",
    dialect: "Configuration dialect",
    ranks: "{count:rank|ranks} {ranks}",
    wasOn: "enabled, but no data arrived",
    all: "Settings to add to the configuration; they collect the missing data that this dialect supports",
    copy: "Copy",
    copied: "Copied",
    noWay: "not supported by this dialect",
  },
  zh: {
    title: "缺少的数据",
    complete: "npuscope 使用的数据均已采集。",
    dialect: "配置风格",
    ranks: "rank {ranks}",
    wasOn: "已开启，但没有数据",
    all: "将以下配置项加入配置，可采集该配置风格支持的缺少的数据",
    copy: "复制",
    copied: "已复制",
    noWay: "此配置风格不支持",
  },
});

interface Gap extends NotCollected {
  ranks: number[];
}

/** What is missing on any rank, once. */
function gaps(health: Health): Gap[] {
  const found = new Map<string, Gap>();
  for (const { rank, missing } of health.ranks) {
    for (const item of missing) {
      const known = found.get(item.what.id);
      if (known) known.ranks.push(rank);
      else found.set(item.what.id, { ...item, ranks: [rank] });
    }
  }
  return [...found.values()];
}

export function Missing({ health }: { health: Health }) {
  const isCopied = useSignal(false);
  const missing = gaps(health);
  if (missing.length === 0) {
    return (
      <Card title={t("title")}>
        <p class="complete">
          <Icon name="good" /> {t("complete")}
        </p>
      </Card>
    );
  }
  const dialects = [...new Set(missing.flatMap((gap) => gap.switches.map(([dialect]) => dialect)))];
  const dialect = dialects.find((dialect) => dialect === scope.value.params.dialect) ?? dialects[0] ?? "";
  const switchOf = (gap: Gap) => gap.switches.find(([name]) => name === dialect)?.[1];
  const lines = [...new Set(missing.map(switchOf))].filter((line) => line !== undefined).join("\n");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(lines);
      isCopied.value = true;
    } catch {
      // Browsers refuse outside https and localhost; the text can still be selected.
    }
  };
  const choice = (
    <Select
      label={t("dialect")}
      value={dialect}
      options={dialects.map((value) => ({ value, label: value }))}
      onChange={(dialect) => go({ params: { ...scope.value.params, dialect } })}
    />
  );
  return (
    <Card title={t("title")} tools={dialects.length > 0 && choice}>
      <ul class="missing">
        {missing.map((gap) => (
          <li key={gap.what.id}>
            <div>
              <strong>{messageText(gap.what)}</strong>
              {colon()}
              <span class="hint">{messageText(gap.good_for)}</span>
              {gap.ranks.length < health.ranks.length && (
                <span class="chip">{t("ranks", { ranks: formatRanks(gap.ranks), count: gap.ranks.length })}</span>
              )}
              {gap.why ? (
                <span class="chip">{messageText(gap.why)}</span>
              ) : (
                gap.was_on && <span class="chip">{t("wasOn")}</span>
              )}
            </div>
            {gap.switches.length > 0 &&
              (switchOf(gap) === undefined ? <span class="hint">{t("noWay")}</span> : <code>{switchOf(gap)}</code>)}
          </li>
        ))}
      </ul>
      {lines !== "" && (
        <div class="snippet">
          <header>
            <span class="hint">{t("all")}</span>
            <button type="button" onClick={copy}>
              <Icon name="copy" /> {isCopied.value ? t("copied") : t("copy")}
            </button>
          </header>
          <pre tabIndex={0} role="region" aria-label={t("all")}>
            {lines}
          </pre>
        </div>
      )}
    </Card>
  );
}
