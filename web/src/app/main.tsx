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
// not awaited at the top: a page's file imports this one, and would wait for it for ever
void preload(currentView()).then(() => {
  render(<App />, document.getElementById("app")!);
  startAddress();
});
