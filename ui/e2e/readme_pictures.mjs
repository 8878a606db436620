// Takes the pictures of the READMEs: `make pictures`.

import { join } from "node:path";
import { closeAll, npuscope, openPage, scratch, serve } from "./helpers.mjs";

const IMAGES = join(import.meta.dirname, "../../docs/images");

const job = join(scratch, "my-job");
npuscope("synth", "-o", job, "--fault", "slow-rank@5:1.3");
const { url } = await serve(job);
for (const [name, language] of [["viewer", "en-GB"], ["viewer.zh", "zh-CN"]]) {
  const viewer = await openPage(`${url}#/timeline?ranks=5,6&rank=5&step=11`, { language });
  await viewer.settled();
  await viewer.page.screenshot({ path: join(IMAGES, `${name}.png`) });
  await viewer.close();
}
await closeAll();
