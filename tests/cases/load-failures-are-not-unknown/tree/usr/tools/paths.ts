import { x } from "@/lib/x";
export default x;
