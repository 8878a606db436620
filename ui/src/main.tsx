// The page starts here.

import { render } from "preact";
import { App } from "./shell/App";
import "./style.css";

render(<App />, document.getElementById("app") as HTMLElement);
