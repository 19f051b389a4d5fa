import { render } from "preact";
import { App } from "./view/app.tsx";

render(<App />, document.getElementById("guide")!);
