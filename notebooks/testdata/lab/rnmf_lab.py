"""Serves JupyterLab and Notebook 7, which build.mjs has built into the folder RNMF_LAB_BUILT."""
import os

from jupyterlab_server import LabServerApp
from jupyterlab_server.handlers import LabHandler
from tornado.web import authenticated

built = os.environ["RNMF_LAB_BUILT"]


class Notebook(LabHandler):
    @authenticated
    def get(self, path):
        config = {**self.get_page_config(), "notebookPage": "notebooks"}
        self.write(self.render_template("index.html", page_config=config))


class Lab(LabServerApp):
    name = app_name = "lab"
    load_other_extensions = False
    app_version = "0"
    app_url = extension_url = "/lab"
    static_dir = built
    templates_dir = os.path.dirname(os.path.abspath(__file__))
    schemas_dir = os.path.join(built, "schemas")
    themes_dir = os.path.join(built, "themes")
    app_settings_dir = user_settings_dir = workspaces_dir = os.environ["JUPYTER_CONFIG_DIR"]

    def initialize_handlers(self):
        self.handlers.append(("/notebooks/(.*)", Notebook))
        super().initialize_handlers()


def _jupyter_server_extension_points():
    return [{"module": __name__, "app": Lab}]
