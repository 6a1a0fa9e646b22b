// The start: theme, address, data, page.

import { render } from "preact";
import { startAddress } from "../data/address";
import { startBoard } from "../data/board";
import { App, preload } from "./App";
import { currentView } from "./Header";
import { startKeys } from "./Help";
import { startTheme } from "./theme";
import "./style.css";

startTheme();
startBoard();
startKeys();
await preload(currentView());
render(<App />, document.getElementById("app")!);
startAddress();
