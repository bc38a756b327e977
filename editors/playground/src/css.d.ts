declare module "*.css";
declare module "*.slang" {
    const text: string;
    export default text;
}
