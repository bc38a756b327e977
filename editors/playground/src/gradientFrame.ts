// The page of the frame; the host is there before the panel asks for it.

import "./gradient.js";
import "../../vscode/src/panel/main.js";
import "./gradientFrame.css";
