// What the page takes of its libraries: the layout of graphs, differences of lists, colours of code.
import dagre from "@dagrejs/dagre";
import { diffArrays } from "diff";
import Prism from "prismjs/components/prism-core.js";

Prism.manual = true;
export { dagre, diffArrays, Prism };
