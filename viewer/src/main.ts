// Puts the parts together when the page is there.

import { Api } from "./api";
import { Viewer } from "./viewer";

void new Viewer(new Api()).start();
