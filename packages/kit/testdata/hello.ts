import { main } from "../src/cli.ts";
import { app } from "./hello-app.ts";

main(app);
